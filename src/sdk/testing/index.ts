export { memoryState } from "../state/memory.ts";
export { type BackendClaim, type OpenBackend, taskBackendClaims } from "../tasks/conformance.ts";
export { immediateTasks, type MockTasks, mockTasks } from "../tasks/for-tests.ts";
export { type CapturedEvents, captureEvents } from "./capture.ts";
export { type TestClient, type TestClientOptions, testClient } from "./client.ts";
export { type Fixture, fixtures, isSynthetic } from "./fixtures.ts";
export { readRecorded } from "./kept.ts";
export { type TestProject, testProject } from "./project.ts";
export type { TestResult } from "./result.ts";
