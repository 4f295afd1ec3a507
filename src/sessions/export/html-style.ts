/** The look of an exported session; its hash stands in the file's policy, so nothing else can style the page. */
export const style: string = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #3b6fd4; --bad: #c0392b; }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .4rem; }
small, time, .facts span { color: #888; font-weight: normal; font-size: .85rem; }
.facts span { margin-right: 1rem; overflow-wrap: anywhere; }
section { border-left: 3px solid var(--line); margin: .8rem 0; padding: .2rem 0 .2rem .9rem; }
section.prompt { border-color: var(--accent); margin-top: 2rem; }
section.error, section.interrupt, section.feedback { border-color: var(--bad); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { background: var(--soft); border-radius: 6px; margin: .4rem 0; max-height: 30rem; overflow: auto; padding: .6rem .8rem; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.agent { margin-left: .5rem; }
img { display: block; max-width: 100%; margin: .4rem 0; }
a.out::after { content: " \\2197"; }
`;
