"""HTTP server of aiohttp that does not say what it is made of, also where it answers by itself."""

from http import HTTPStatus

from aiohttp import web

from scoville_client.doors.web.site.headers import COMMON, closed_policy


class _QuietHandler(web.RequestHandler):
    """Answers what is no HTTP, or what fails, with the status alone."""

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Return the response to a malformed request, without versions and details."""
        response = super().handle_error(request, status, exc, message)
        response.headers.update({**COMMON, "Content-Security-Policy": closed_policy(), "Server": "scoville"})
        if isinstance(response, web.Response):
            response.text = f"{status} {HTTPStatus(status).phrase}\n"
        return response


class QuietServer(web.Server):
    """Makes the protocol of each connection."""

    def __call__(self) -> web.RequestHandler:
        """Return the protocol of a connection."""
        return _QuietHandler(self, loop=self._loop, **self._kwargs)
