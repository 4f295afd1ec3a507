/** The variables that hold keys of the model providers that the ports of this module talk to. */
export const providerKeys: readonly { readonly provider: string; readonly variables: readonly string[] }[] = [
  { provider: "Anthropic", variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"] },
  { provider: "OpenAI", variables: ["OPENAI_API_KEY"] },
];
