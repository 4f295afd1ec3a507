/** What a field of a payload may hold, as data: types, schemas, docs and the payload check all read it. */
export type Field = Shape & {
  /** The measured client does not always send it. */
  readonly optional?: true;
  readonly nullable?: true;
  /** Only newer clients send it. */
  readonly newer?: true;
};

type Shape =
  /** `of` lists the known words; with `open` others may come. */
  | { readonly is: "text"; readonly of?: readonly string[]; readonly open?: true }
  | { readonly is: "number" }
  | { readonly is: "flag" }
  | { readonly is: "object"; readonly fields?: Fields }
  | { readonly is: "list"; readonly of: Field }
  | { readonly is: "either"; readonly of: readonly Field[] }
  | { readonly is: "anything" };

export type Fields = Readonly<Record<string, Field>>;

/** A field for every key of a payload type, optional exactly where the type says so: type and data cannot drift apart. */
export type FieldsOf<Payload> = {
  readonly [Key in keyof Payload]-?: Record<never, never> extends Pick<Payload, Key>
    ? Field & { readonly optional: true }
    : Field & { readonly optional?: never };
};
