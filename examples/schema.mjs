// Validation against docs/protocol/schema.json: as much of JSON Schema as that file uses.
import { readFileSync } from "node:fs";

const path = new URL("../docs/protocol/schema.json", import.meta.url);
export const schema = JSON.parse(readFileSync(path, "utf8"));

/** Why a value does not fit a shape of the schema, as sentences; empty if it fits. */
export function faults(value, shape, at = "it") {
  if (shape.$ref) return faults(value, resolve(shape.$ref), at);
  if (shape.anyOf) return anyOf(value, shape, at);
  if (shape.enum) return shape.enum.includes(value) ? [] : [`${at} is ${JSON.stringify(value)}, not one of ${shape.enum}`];
  const type = typeOf(value);
  if (shape.type && type !== shape.type && !(shape.type === "number" && type === "integer")) {
    return [`${at} is ${type}, not ${shape.type}`];
  }
  if (type === "object") return object(value, shape, at);
  if (type === "array") return array(value, shape, at);
  return bounds(value, shape, at);
}

function resolve(reference) {
  return reference.slice(2).split("/").reduce((part, step) => part[step], schema);
}

function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  return typeof value;
}

/** The first shape that fits; of tagged ones the one with the value's tag, whose faults say more. */
function anyOf(value, shape, at) {
  const { propertyName, mapping } = shape.discriminator ?? {};
  const tagged = mapping?.[value?.[propertyName]];
  if (tagged) return faults(value, { $ref: tagged }, at);
  const found = shape.anyOf.map((each) => faults(value, each, at));
  return found.find((each) => each.length === 0) ?? found.flat();
}

function object(value, shape, at) {
  const missing = (shape.required ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, item]) => {
    const inner = shape.properties?.[name] ?? shape.additionalProperties;
    if (inner === false) return [`${at}.${name} is unknown`];
    return typeof inner === "object" ? faults(item, inner, `${at}.${name}`) : []; // a later server may send more
  });
  return [...missing, ...wrong];
}

function array(value, shape, at) {
  const length = bounds(value.length, { minimum: shape.minItems, maximum: shape.maxItems }, `the length of ${at}`);
  const shapes = value.map((_, index) => shape.prefixItems?.[index] ?? shape.items);
  return [...length, ...value.flatMap((item, index) => (shapes[index] ? faults(item, shapes[index], `${at}[${index}]`) : []))];
}

function bounds(value, shape, at) {
  const size = typeof value === "string" ? [...value].length : value;
  const low = shape.minLength ?? shape.minimum ?? -Infinity;
  const high = shape.maxLength ?? shape.maximum ?? Infinity;
  if (size < low || size > high) return [`${at} is ${size}, not from ${low} to ${high}`];
  return shape.pattern && !new RegExp(shape.pattern, "u").test(value) ? [`${at} does not match ${shape.pattern}`] : [];
}
