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
  /** Greater than `above`. */
  | { readonly is: "number"; readonly above?: number }
  | { readonly is: "flag" }
  /** `values` is what keys that `fields` does not name may hold. */
  | { readonly is: "object"; readonly fields?: Fields; readonly values?: Field }
  | { readonly is: "list"; readonly of: Field }
  | { readonly is: "either"; readonly of: readonly Field[] }
  | { readonly is: "anything" };

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Field>>;

/** A field for every key of a type, of its kind and optional exactly where the type is: type and data cannot drift apart. */
export type FieldsOf<Payload> = {
  readonly [Key in keyof Payload]-?: FieldOf<Exclude<Payload[Key], undefined>> &
    (Record<never, never> extends Pick<Payload, Key> ? { readonly optional: true } : { readonly optional?: never });
};

/** `anything` and `either` are always true enough. */
export type FieldOf<Value> = Field & {
  readonly is: ShapeName<NonNullable<Value>> | "anything" | "either";
} & (null extends Value ? Record<never, never> : { readonly nullable?: never });

type ShapeName<Value> = unknown extends Value
  ? "anything"
  : [Value] extends [string]
    ? "text"
    : [Value] extends [number]
      ? "number"
      : [Value] extends [boolean]
        ? "flag"
        : [Value] extends [readonly unknown[]]
          ? "list"
          : [Value] extends [object]
            ? "object"
            : never;
