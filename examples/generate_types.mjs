// TypeScript types of the protocol, generated from docs/protocol/schema.json with nothing but Node:
//   node examples/generate_types.mjs > scoville.d.ts
// Each type of the protocol becomes an interface; `Methods` maps a method to its params and reply, `Notices` a notice to
// its params, `ErrorData` a code to the data of the error, and each game has a namespace with its options, moves, View,
// facts and the data of its refusals.
import { readFileSync } from "node:fs";

const path = process.argv[2] ?? new URL("../docs/protocol/schema.json", import.meta.url);
const schema = JSON.parse(readFileSync(path, "utf8"));

const lines = [`/** Version ${schema.protocol} of the Scoville protocol. */`];
declare(schema.types, "");
declare(schema.errors.types, "");
lines.push("export interface Methods {");
for (const [name, { params, reply, errors }] of Object.entries(schema.methods)) {
  const codes = errors.map((code) => JSON.stringify(code)).join(" | ") || "never";
  lines.push(`  ${JSON.stringify(name)}: { params: ${type(params)}; reply: ${type(reply)}; errors: ${codes} };`);
}
lines.push("}", "export interface Notices {");
for (const [name, params] of Object.entries(schema.notices)) lines.push(`  ${JSON.stringify(name)}: ${type(params)};`);
lines.push("}", `export type ErrorCode = ${schema.errors.codes.map((code) => JSON.stringify(code)).join(" | ")};`);
lines.push("export interface ErrorData {");
for (const [code, data] of Object.entries(schema.errors.data)) lines.push(`  ${JSON.stringify(code)}: ${type(data)};`);
lines.push("}");
for (const [slug, game] of Object.entries(schema.games)) {
  lines.push(`export namespace ${slug} {`);
  declare(game.types, "  ");
  lines.push(`  type AnyMove = ${game.moves.map(type).join(" | ")};`, `  type AnyFact = ${type(game.fact)};`);
  lines.push("  interface RefusalData {");
  for (const [code, data] of Object.entries(game.refusal_data)) lines.push(`    ${JSON.stringify(code)}: ${type(data)};`);
  lines.push("  }", "}");
}
console.log(lines.join("\n"));

function declare(types, indent) {
  for (const [name, shape] of Object.entries(types)) {
    if (shape.description) lines.push(`${indent}/** ${shape.description.split("\n")[0].replaceAll("*/", "* /")} */`);
    if (shape.properties === undefined) {
      lines.push(`${indent}export type ${name} = ${type(shape)};`);
      continue;
    }
    lines.push(`${indent}export interface ${name} {`);
    for (const [field, kind] of Object.entries(shape.properties)) {
      const optional = shape.required?.includes(field) ? "" : "?";
      lines.push(`${indent}  ${field}${optional}: ${type(kind)};`);
    }
    lines.push(`${indent}}`);
  }
}

function type(shape) {
  if (shape.$ref) return shape.$ref.split("/").at(-1);
  if (shape.anyOf) return shape.anyOf.map(type).join(" | ");
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.prefixItems) return `[${shape.prefixItems.map(type).join(", ")}]`;
  if (shape.type === "array") return shape.items ? `Array<${type(shape.items)}>` : "unknown[]";
  if (shape.type === "object" && shape.properties) {
    const fields = Object.entries(shape.properties).map(([name, kind]) => `${name}: ${type(kind)}`);
    return fields.length > 0 ? `{ ${fields.join("; ")} }` : "Record<string, never>";
  }
  if (shape.type === "object") {
    const values = shape.additionalProperties;
    return `Record<string, ${values && typeof values === "object" ? type(values) : "unknown"}>`;
  }
  if (shape.type === "integer" || shape.type === "number") return "number";
  return { string: "string", boolean: "boolean", null: "null" }[shape.type] ?? "unknown";
}
