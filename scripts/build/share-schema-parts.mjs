/** Makes a file of many JSON Schemas smaller: what they have in common is written once. */

/** Keys of a schema that hold one schema, a list of them, or schemas by name. */
const schemaKeys = ["items", "additionalProperties", "not", "contains", "propertyNames"];
const schemaListKeys = ["anyOf", "oneOf", "allOf", "prefixItems"];
const schemaMapKeys = ["properties", "patternProperties", "$defs"];

/** The same schemas by name. A part that occurs often enough has a place of its own, `shared.1` and so on, and references to it. */
export function withSharedParts(schemas) {
  const places = new Map();
  const count = (schema) => {
    const text = JSON.stringify(schema);
    places.set(text, (places.get(text) ?? 0) + 1);
    if (places.get(text) === 1) mapParts(schema, count);
    return schema;
  };
  for (const schema of Object.values(schemas)) mapParts(schema, count);
  const names = new Map();
  const shared = {};
  const share = (schema) => {
    const text = JSON.stringify(schema);
    if (!isWorthSharing(text.length, places.get(text))) return mapParts(schema, share);
    if (!names.has(text)) {
      names.set(text, `shared.${names.size + 1}`);
      shared[names.get(text)] = mapParts(schema, share);
    }
    return { $ref: `#/$defs/${names.get(text)}` };
  };
  const own = Object.entries(schemas).map(([name, schema]) => [name, mapParts(schema, share)]);
  return { ...Object.fromEntries(own), ...shared };
}

/**
 * The same schemas; the properties that all schemas whose names end in `.kind` have in common are in one place, `shared.kind`, and each of
 * them refers to it.
 */
export function withCommonProperties(schemas, kind) {
  const ofKind = Object.entries(schemas).filter(([name]) => name.endsWith(`.${kind}`));
  const isCommon = ([key, property]) =>
    ofKind.every(([, schema]) => JSON.stringify(schema.properties[key]) === JSON.stringify(property));
  const common = Object.fromEntries(Object.entries(ofKind[0][1].properties).filter(isCommon));
  const changed = ofKind.map(([name, { properties, ...schema }]) => {
    const own = Object.entries(properties).filter(([key]) => !(key in common));
    return [name, { ...schema, allOf: [{ $ref: `#/$defs/shared.${kind}` }], properties: Object.fromEntries(own) }];
  });
  return { ...schemas, ...Object.fromEntries(changed), [`shared.${kind}`]: { properties: common } };
}

/** Whether a part is shorter as one place and a reference, of about thirty characters, for each time it occurs. */
function isWorthSharing(size, times) {
  return times * 30 + size + 15 < times * size;
}

/** A schema with `change` applied to the schemas directly inside it. What `$defs` names stays where references expect it. */
function mapParts(schema, change) {
  if (typeof schema !== "object") return schema;
  const changed = Object.entries(schema).map(([key, value]) => {
    if (schemaKeys.includes(key) && typeof value === "object") return [key, change(value)];
    if (schemaListKeys.includes(key)) return [key, value.map(change)];
    if (!schemaMapKeys.includes(key)) return [key, value];
    const part = key === "$defs" ? (inner) => mapParts(inner, change) : change;
    return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, part(inner)]))];
  });
  return Object.fromEntries(changed);
}
