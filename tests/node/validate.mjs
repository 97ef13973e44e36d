// Validates lines of standard input, {"ref": "#/types/…", "value": …}, with ajv; prints a list of what is wrong with each.
//   node validate.mjs FOLDER_OF_PACKAGES SCHEMA
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, path] = process.argv.slice(2);
const Ajv = createRequire(`${folder}/`)("ajv/dist/2020").default;
// strict: an unknown keyword, a pattern that is not of ECMA-262 or a format that nobody knows is an error
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: true, allErrors: false });
ajv.addVocabulary(["protocol", "methods", "errors", "notices", "types", "games", "discriminator"]);
const schema = JSON.parse(readFileSync(path, "utf8"));
ajv.addSchema(schema, "scoville");
const kinds = [schema.types, ...Object.values(schema.games).map((game) => game.types)];
const references = [
  ...Object.keys(schema.types).map((name) => `#/types/${name}`),
  ...Object.entries(schema.games).flatMap(([slug, game]) => Object.keys(game.types).map((name) => `#/games/${slug}/types/${name}`)),
];
const validators = new Map(references.map((reference) => [reference, ajv.compile({ $ref: `scoville${reference}` })]));
if (validators.size < kinds.length) throw new Error("the schema has no types");

const lines = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const faults = lines.map(({ ref, value }) => {
  const validator = validators.get(ref) ?? ajv.compile({ $ref: `scoville${ref}` });
  return validator(value) ? "" : ajv.errorsText(validator.errors, { dataVar: "it" });
});
console.log(JSON.stringify(faults));
