/** What to start: a line for the system's shell, a line for PowerShell, or a program and its arguments with no shell between. */
export type CommandLine =
  | { readonly form: "shell"; readonly command: string }
  | { readonly form: "powershell"; readonly command: string }
  | { readonly form: "exec"; readonly file: string; readonly args: readonly string[] };
