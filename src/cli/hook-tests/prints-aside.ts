/** What an app prints while it is tried is no part of a JSON result: until `work` is done, stdout leads to stderr. */
export async function printsAside<Value>(work: () => Promise<Value>): Promise<Value> {
  const { stdout, stderr } = process;
  const own = stdout.write;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = own;
  }
}
