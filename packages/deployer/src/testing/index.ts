/** For tests: the door of states and plans without a control plane, and tasks as an agent would give them. */
export { startTestDoor, type StoredPlan, type TestDoor } from "./test-endpoint.ts";
export { createTestTask, renderTestPayload, type TestParent, type TestTaskOptions } from "./test-task.ts";
