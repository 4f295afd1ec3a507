/** What a field of a payload may hold, as data: types, schemas, docs and the payload check all read it. */
export type Field = Shape & {
  /** The measured version does not always send it. */
  readonly optional?: true;
  readonly nullable?: true;
  /** Only newer versions of Claude Code send it. */
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

/** The type of an object with these fields, written so that editors show it in full. */
export type ValuesOf<Of extends Fields> = NeededValues<Of> & OptionalValues<Of> extends infer All
  ? { readonly [Key in keyof All]: All[Key] }
  : never;

type NeededValues<Of extends Fields> = {
  [Key in keyof Of as Of[Key] extends { optional: true } ? never : Key]: ValueOf<Of[Key]>;
};

type OptionalValues<Of extends Fields> = {
  [Key in keyof Of as Of[Key] extends { optional: true } ? Key : never]?: ValueOf<Of[Key]>;
};

type ValueOf<Of extends Field> = Of extends { nullable: true }
  ? ShapeValues<Of>[Of["is"]] | null
  : ShapeValues<Of>[Of["is"]];

interface ShapeValues<Of> {
  text: Of extends { of: readonly (infer Word)[] } ? Word | (Of extends { open: true } ? string & {} : never) : string;
  number: number;
  flag: boolean;
  object: Of extends { fields: infer Inner extends Fields }
    ? ValuesOf<Inner>
    : Readonly<Record<string, Of extends { values: infer Value extends Field } ? ValueOf<Value> : unknown>>;
  list: Of extends { of: infer Item extends Field } ? readonly ValueOf<Item>[] : never;
  either: Of extends { of: readonly (infer Option extends Field)[] } ? ValueOf<Option> : never;
  anything: unknown;
}
