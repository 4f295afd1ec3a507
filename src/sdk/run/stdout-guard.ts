/** Where text goes; every stream of Node's is one. */
export interface Output {
  write(text: string, done?: (error?: Error | null) => void): boolean;
}

/** Contract: resolves once all of it is handed over; a reader that went away is no error. */
export function write(output: Output, text: string): Promise<void> {
  if (text === "") return Promise.resolve();
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") reject(error);
      else resolve();
    });
  });
}

/** Runs work that may print. If the process's own output is meant, what is printed meanwhile goes to `errors`. */
export async function whileHeldBack<Value>(output: Output, errors: Output, work: () => Promise<Value>): Promise<Value> {
  const { stdout } = process;
  if (output !== stdout) return work();
  const own = stdout.write;
  stdout.write = errors.write.bind(errors) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = own;
  }
}
