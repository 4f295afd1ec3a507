export { nearest } from "./near.ts";
export { Problem, type ProblemCode } from "./problem.ts";
