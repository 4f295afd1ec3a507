import { code, codes } from "./markdown.mjs";

/** The type of a payload field, in one line. */
export function fieldWords(field) {
  return [shape(field), field.nullable ? "or null" : "", field.newer ? "(newer versions of Claude Code)" : ""]
    .filter(Boolean)
    .join(" ");
}

function shape(field) {
  switch (field.is) {
    case "text":
      return field.of ? `${codes(field.of)}${field.open ? ", others possible" : ""}` : "text";
    case "number":
      return field.above === undefined ? "number" : `number above ${field.above}`;
    case "flag":
      return "true or false";
    case "object":
      return field.fields ? `object: ${Object.entries(field.fields).map(inner).join(", ")}` : "object";
    case "list":
      return `list of ${shape(field.of)}`;
    case "either":
      return field.of.map(shape).join(" or ");
    default:
      return "anything";
  }
}

function inner([name, field]) {
  return `${code(name)}${field.optional ? "?" : ""}`;
}
