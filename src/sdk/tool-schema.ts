import type { ToolSchema } from "./parts.ts";

/** The parsed input, or an error that says what is wrong with it. */
export async function checkInput(schema: ToolSchema, input: unknown): Promise<unknown> {
  if (typeof schema === "function") return schema(input);
  const result = (await schema["~standard"].validate(input)) as {
    readonly value?: unknown;
    readonly issues?: readonly { readonly message: string }[];
  };
  if (!result.issues) return result.value;
  throw new TypeError(
    `the tool's input does not fit its schema: ${result.issues.map(({ message }) => message).join("; ")}`,
  );
}
