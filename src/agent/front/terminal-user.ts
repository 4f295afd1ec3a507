import { type PermissionUpdate, stripControl } from "../../protocol/internal.ts";
import type { UserPort } from "../turn/ask-user.ts";

/** Contract: resolves with the line that was typed; undefined when there is nobody any more. */
export type AskLine = (text: string, signal: AbortSignal) => Promise<string | undefined>;

/** Somebody at a terminal. Whatever is shown was stripped of everything a terminal would act on. */
export function terminalUser(ask: AskLine): UserPort {
  return {
    async permission({ tool, input, reason, suggestions }, signal) {
      const rules = suggestions.filter(isRule);
      const always = rules.length === 0 ? "" : `, [a]lways (${rules.map(ruleText).join(", ")})`;
      const text = `\n${tool} wants to run:\n${indented(JSON.stringify(input, null, 2))}\n${stripControl(reason)}\n[y]es, [n]o${always}, or no with words for the model: `;
      const typed = (await ask(stripControl(text), signal))?.trim();
      if (typed === undefined) return { behavior: "deny", message: "Nobody answered." };
      if (/^(y|yes)$/i.test(typed)) return { behavior: "allow" };
      if (/^(a|always)$/i.test(typed) && rules.length > 0) return { behavior: "allow", updates: rules.map(intoLocal) };
      const words = typed.replace(/^(no|n)\b[\s,:]*/i, "");
      return { behavior: "deny", message: words === "" ? refusal : `${refusal} They said: ${words}` };
    },
    async question({ message, options, hook, summary }, signal) {
      const lines = options.map(
        ({ key, label, description }) => `  ${key}  ${label}${description === undefined ? "" : `: ${description}`}`,
      );
      const text = `\n${hook.name} asks${summary === "" ? "" : ` about ${summary}`}: ${message}\n${lines.join("\n")}\nYour choice: `;
      const said = (await ask(stripControl(text), signal))?.trim();
      return options.find(({ key, label }) => key === said || label === said)?.key;
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
          const said = (await ask(stripControl(`${fault}${name}${choices}: `), signal))?.trim();
          if (said === undefined) return { action: "cancel" };
          fault = faultOf(said, field, required.includes(name));
          if (fault === undefined && said !== "") content[name] = asType(said, field.type);
        }
      }
      return { action: "accept", content };
    },
  };
}

const refusal = "The user doesn't want to proceed with this tool use.";

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

/** What a server may say of a field of its form. */
interface Field {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** Why the server could not use what was typed. */
function faultOf(text: string, { type, enum: choices }: Field, required: boolean): string | undefined {
  if (text === "") return required ? "This is needed.\n" : undefined;
  if (choices !== undefined && !choices.map(String).includes(text)) return "Type one of the choices.\n";
  if (type === "integer" && !Number.isInteger(Number(text))) return "This must be a whole number.\n";
  return type === "number" && !Number.isFinite(Number(text)) ? "This must be a number.\n" : undefined;
}

function asType(text: string, type: string | undefined): unknown {
  if (type === "number" || type === "integer") return Number(text);
  if (type === "array") return text.split(",").map((item) => item.trim());
  return type === "boolean" ? /^(y|yes|true|1)$/i.test(text) : text;
}
