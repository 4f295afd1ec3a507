/** A model's name as the price table spells it, and whether a cloud sold it: then the vendor's list price is only a basis. */
export interface ModelName {
  readonly name: string;
  readonly cloud: boolean;
}

/**
 * Drops what does not change the price: a `[1m]` mark, a date, and the prefix or suffix a cloud puts around the name.
 * Nothing is ever matched by likeness.
 */
export function modelName(written: string): ModelName {
  const bare = written.replace(/\[1m\]$/i, "");
  const vertex = /^(.*)@(?:\d{8}|latest|default)$/.exec(bare)?.[1];
  const bedrock = /^(?:arn:[^/]*\/)?(?:[a-z]{2,6}(?:-gov)?\.)?anthropic\.(.*?)(?:-v\d+(?::\d+)?)?$/.exec(bare)?.[1];
  const cloudless = vertex ?? bedrock ?? bare;
  return { name: cloudless.replace(/-20\d{6}$/, ""), cloud: cloudless !== bare };
}
