import { isObject } from "../../protocol/index.ts";
import type { ToolSchema } from "./app-definition.ts";

/**
 * The parsed input, or an error that says what is wrong with it. A function that returns nothing has only looked at the input. Any other
 * value would leave handlers without it: true and false are no input, and a guard that reads one finds nothing to object to.
 */
export async function checkInput(schema: ToolSchema, input: unknown): Promise<unknown> {
  if (typeof schema === "function") {
    const parsed: unknown = await schema(input);
    if (parsed === undefined) return input;
    if (isObject(parsed)) return parsed;
    throw new TypeError(
      "the function that checks the tool's input gave no input; return it, or throw when it does not fit",
    );
  }
  const result = (await schema["~standard"].validate(input)) as {
    readonly value?: unknown;
    readonly issues?: readonly { readonly message: string }[];
  };
  if (!result.issues) return result.value ?? input;
  throw new TypeError(
    `the tool's input does not fit its schema: ${result.issues.map(({ message }) => message).join("; ")}`,
  );
}
