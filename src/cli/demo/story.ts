import type { Script, ScriptedAnswer, ScriptedCall } from "../../models/index.ts";
import { secret } from "./project.ts";

/** What the person types, one after another. */
export const prompts: readonly string[] = [
  "The total of the basket is negative. Please fix it.",
  "/compact",
  "What must you keep in mind about prices?",
];

/** What the scripted model says. Expectations look at what it was told: a story that goes wrong fails the demo. */
export function story(folder: string, delayMs: number): Script {
  const call = (tool: string, input: ScriptedCall["input"] = {}): ScriptedCall => ({ tool, input });
  const bash = (command: string) => call("Bash", { command, description: command });
  const file = `${folder}/src/total.js`;
  const answers: readonly ScriptedAnswer[] = [
    { text: "I will make room first.", calls: [bash("rm -rf ~/shop-data")] },
    {
      text: "Without that, then. Let me look at the configuration.",
      expect: [{ in: "last-message", contains: ["Nothing is deleted by force here."] }],
      calls: [bash("cat .env")],
    },
    {
      text: "A subagent can find the total.",
      expect: [{ lacks: [secret] }, { in: "last-message", contains: ["[redacted]"] }],
      calls: [
        call("Agent", { subagent_type: "Explore", description: "Find the total", prompt: "Where is the total?" }),
      ],
    },
    {
      when: { purpose: "subagent" },
      expect: [{ contains: ["Look only below src/."] }],
      calls: [call("Grep", { pattern: "total", path: `${folder}/src`, output_mode: "files_with_matches" })],
    },
    { when: { purpose: "subagent" }, text: "It is in src/total.js." },
    { text: "Found it: src/total.js. That should do.", expect: [{ in: "last-message", contains: ["src/total.js"] }] },
    {
      text: "Right, the tests.",
      expect: [{ contains: ["The tests do not pass yet."] }],
      calls: [bash("node --test"), call("Read", { file_path: file })],
    },
    {
      text: "A minus where a plus should be.",
      calls: [call("Edit", { file_path: file, old_string: "sum - price", new_string: "sum + price" })],
    },
    { text: "The total is a sum again, and the tests pass." },
    {
      when: { purpose: "compaction" },
      expect: [{ contains: ["all prices are in cents"] }],
      text: "A minus in src/total.js was fixed; the tests pass. All prices are in cents.",
    },
    { text: "That all prices are in cents.", expect: [{ contains: ["All prices are in cents."] }] },
  ];
  return {
    model: "claude-sonnet-5-5",
    ids: "counted",
    answers: [
      ...answers.map((answer) => ({ ...answer, delayMs })),
      { when: { purpose: "title" }, times: "any", text: "A negative total" },
    ],
  };
}
