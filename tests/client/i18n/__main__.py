"""Updates the catalogs from the sources, reports missing translations, and compiles the catalogs."""

from tests.client.i18n.catalogs import TRANSLATED, compiled, mo_file, po_file, read, updated, written

for code in TRANSLATED:
    po_file(code).write_bytes(written(updated(code)))
    catalog = read(code)
    mo_file(code).write_bytes(compiled(catalog))
    missing = [message.id for message in catalog if message.id and not all(message.string or [""])]
    print(f"{po_file(code).name}: {len(catalog)} texts, {len(missing)} not translated")
