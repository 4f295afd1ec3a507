import { type PermissionUpdate, stripControl } from "../../protocol/internal.ts";
import type { UserPort } from "../turn/ask-user.ts";
import { deniedByUser } from "../turn/decide.ts";

/** Contract: resolves with the typed line; undefined at the end of input. */
export type AskLine = (text: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the user at the terminal. All shown text is stripped of control characters. */
export function terminalUser(ask: AskLine): UserPort {
  return {
    async permission({ tool, input, reason, suggestions }, signal) {
      const rules = suggestions.filter(isRule);
      const always = rules.length === 0 ? "" : `, [a]lways (${rules.map(ruleText).join(", ")})`;
      const text = `\n${tool} wants to run:\n${indented(JSON.stringify(input, null, 2))}\n${stripControl(reason)}\n[y]es, [n]o${always}, or no with a message for the model: `;
      const typed = (await ask(stripControl(text), signal))?.trim();
      if (typed === undefined) return { behavior: "deny", message: "The user did not answer." };
      if (/^(y|yes)$/i.test(typed)) return { behavior: "allow" };
      if (/^(a|always)$/i.test(typed) && rules.length > 0) return { behavior: "allow", updates: rules.map(intoLocal) };
      const comment = typed.replace(/^(no|n)\b[\s,:]*/i, "");
      return comment === ""
        ? { behavior: "deny" }
        : { behavior: "deny", message: `${deniedByUser} They said: ${comment}` };
    },
    async question({ message, options, hook, summary }, signal) {
      const lines = options.map(
        ({ key, label, description }) => `  ${key}  ${label}${description === undefined ? "" : `: ${description}`}`,
      );
      const text = `\n${hook.name} asks${summary === "" ? "" : ` about ${summary}`}: ${message}\n${lines.join("\n")}\nYour choice: `;
      const typed = (await ask(stripControl(text), signal))?.trim();
      return options.find(({ key, label }) => key === typed || label === typed)?.key;
    },
    async confirm(text, signal) {
      return /^(y|yes)$/i.test((await ask(stripControl(`\n${text} [y]es or [n]o: `), signal))?.trim() ?? "");
    },
    async elicit({ server, message, schema }, signal) {
      const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Field>>);
      const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
      const content: Record<string, unknown> = {};
      const first = await ask(stripControl(`\n${server} asks: ${message}\n[y]es to answer, [n]o to decline: `), signal);
      if (first === undefined) return { action: "cancel" };
      if (!/^(y|yes)$/i.test(first.trim())) return { action: "decline" };
      for (const [name, field] of properties) {
        const choices = field.enum === undefined ? "" : ` (${field.enum.join(", ")})`;
        let fault: string | undefined = "";
        while (fault !== undefined) {
          const typed = (await ask(stripControl(`${fault}${name}${choices}: `), signal))?.trim();
          if (typed === undefined) return { action: "cancel" };
          fault = faultOf(typed, field, required.includes(name));
          if (fault === undefined && typed !== "") content[name] = asType(typed, field.type);
        }
      }
      return { action: "accept", content };
    },
  };
}

function isRule(update: PermissionUpdate): boolean {
  return update.type === "addRules" && update.behavior === "allow";
}

function ruleText(update: PermissionUpdate): string {
  if (!("rules" in update)) return "";
  return update.rules
    .map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
    .join(", ");
}

function intoLocal(update: PermissionUpdate): PermissionUpdate {
  return { ...update, destination: "localSettings" };
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}

/** The schema of a form field. */
interface Field {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** Why the typed text is not valid for the field. */
function faultOf(text: string, { type, enum: choices }: Field, required: boolean): string | undefined {
  if (text === "") return required ? "This field is required.\n" : undefined;
  if (choices !== undefined && !choices.map(String).includes(text)) return "Type one of the choices.\n";
  if (type === "integer" && !Number.isInteger(Number(text))) return "This must be a whole number.\n";
  return type === "number" && !Number.isFinite(Number(text)) ? "This must be a number.\n" : undefined;
}

function asType(text: string, type: string | undefined): unknown {
  if (type === "number" || type === "integer") return Number(text);
  if (type === "array") return text.split(",").map((item) => item.trim());
  return type === "boolean" ? /^(y|yes|true|1)$/i.test(text) : text;
}
