export type { AppWarning } from "../answer/accept-answers.ts";
export type { MethodOf, ToolEventName } from "../answer/event-rules.ts";
export type { HandlerTrace } from "../log/log-record.ts";
export type { StateAccess } from "../state/state.ts";
export { type Fixture, fixtures, isSynthetic, readRecorded } from "./fixtures.ts";
export { immediateTasks, type MockTasks, memoryState, mockTasks } from "./memory-tasks.ts";
export { type BackendClaim, type OpenBackend, taskBackendClaims } from "./task-backend-claims.ts";
export {
  type CapturedEvents,
  captureEvents,
  type TestClient,
  type TestClientOptions,
  testClient,
} from "./test-client.ts";
export { type TestProject, testProject } from "./test-project.ts";
export type { TestResult } from "./test-result.ts";
export {
  type TestToolResult,
  type TestTranscript,
  type TestTranscriptOptions,
  testTranscript,
} from "./test-transcript.ts";
