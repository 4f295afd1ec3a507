/** Which skills each session has used: their hooks run from then on. */
export interface SkillsInUse {
  use(sessionId: string, skill: string): void;
  has(sessionId: string, skill: string): boolean;
  forget(sessionId: string): void;
}

export function skillsInUse(): SkillsInUse {
  const used = new Map<string, Set<string>>();
  return {
    use(sessionId, skill) {
      const skills = used.get(sessionId) ?? new Set();
      used.set(sessionId, skills.add(skill));
    },
    has: (sessionId, skill) => used.get(sessionId)?.has(skill) === true,
    forget: (sessionId) => void used.delete(sessionId),
  };
}
