/** For tests: an endpoint for states and plans without a control plane, tasks as an agent creates them, and the contract suite of executors. */
export { startTestEndpoint, type RequestHook, type StoredPlan, type TestEndpoint } from "./test-endpoint.ts";
export { createTestTask, renderTestPayload, type TestParent, type TestTaskOptions } from "./test-task.ts";
export { describeExecutorContract } from "../executor/testing/executor-contract.ts";
export type { ContractEntity, ContractSubject, KillPoint } from "../executor/testing/contract-subject.ts";
