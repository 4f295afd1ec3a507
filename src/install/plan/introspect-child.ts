import { appInputs, loadApp } from "../../sdk/internal.ts";
import { refuseEffects } from "./sandboxed-load.ts";

/**
 * What `introspect` starts: loads one hooks file and reports on it. `node child.cjs FILE MARK [quiet]`; the report is the line of
 * standard output that begins with the mark, so that nothing the file prints can be taken for it. `quiet`: without effects.
 */
const [file = "", mark = "", how] = process.argv.slice(2);
if (how === "quiet") refuseEffects();
const print = process.stdout.write.bind(process.stdout);

function report(value: unknown): Promise<void> {
  return new Promise((done) => {
    print(`\n${mark}${JSON.stringify(value)}\n`, () => done());
  });
}

async function describe(): Promise<unknown> {
  try {
    const app = await loadApp(file, { env: process.env, cwd: process.cwd(), timeoutMs: 60_000 });
    // If the builder fails, Node still knows the way: the file was loaded.
    return { events: app.describe(), inputs: await appInputs(file).catch(() => [file]) };
  } catch (error) {
    const { code, message, cause } = error as { code?: string; message?: string; cause?: unknown };
    const inner = cause as { code?: string; name?: string; message?: string } | undefined;
    return {
      problem: {
        code: code ?? "",
        message: message ?? String(error),
        cause: `${inner?.code ?? ""} ${inner?.name ?? ""} ${inner?.message ?? ""}`,
      },
    };
  }
}

void describe()
  .then(report)
  .finally(() => process.exit(0));
