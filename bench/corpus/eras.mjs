/** How clients wrote at a time, and which models they called. The last era whose `from` has passed holds. */
const eras = [
  {
    from: "2025-04-01",
    version: "0.2.104",
    envelopeFirst: true,
    usage: "early",
    models: { main: ["claude-3-7-sonnet-20250219"], agent: ["claude-3-7-sonnet-20250219"] },
    writesCost: true,
  },
  {
    from: "2025-09-29",
    version: "2.0.14",
    envelopeFirst: true,
    usage: "early",
    split: true,
    models: { main: ["claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805"], agent: ["claude-haiku-4-5-20251001"] },
    agentsBeside: true,
  },
  {
    from: "2025-12-01",
    version: "2.1.20",
    envelopeFirst: true,
    modelFirst: true,
    usage: "early",
    split: true,
    slugs: true,
    progress: true,
    models: {
      main: ["claude-opus-4-5-20251101", "claude-opus-4-6", "claude-sonnet-4-6"],
      agent: ["claude-haiku-4-5-20251001"],
    },
  },
  {
    from: "2026-03-01",
    version: "2.1.81",
    modelFirst: true,
    usage: "early",
    split: true,
    slugs: true,
    geo: "not_available",
    entrypoint: true,
    writes1h: true,
    models: {
      main: ["claude-opus-4-6", "claude-opus-4-7", "claude-sonnet-4-6"],
      agent: ["claude-haiku-4-5-20251001", "claude-sonnet-4-6"],
    },
  },
  {
    from: "2026-05-15",
    version: "2.1.197",
    usage: "late",
    geo: "not_available",
    entrypoint: true,
    writes1h: true,
    models: {
      main: ["claude-opus-4-8", "claude-sonnet-5", "claude-fable-5", "claude-opus-4-7"],
      agent: ["claude-haiku-4-5-20251001", "claude-sonnet-5"],
    },
  },
  {
    from: "2026-09-01",
    version: "2.1.233",
    usage: "late",
    geo: "not_available",
    entrypoint: true,
    writes1h: true,
    blockIndex: true,
    models: {
      main: ["claude-opus-5", "claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "acme-coder-1"],
      agent: ["claude-haiku-5-5", "claude-sonnet-5-5"],
    },
  },
].map((era) => ({ ...era, start: Date.parse(`${era.from}T00:00:00Z`) }));

export function eraAt(at) {
  return eras.findLast((era) => era.start <= at) ?? eras[0];
}
