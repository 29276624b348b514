/**
 * Test support: an endpoint for states and plans that works without a control plane, task factories, and the contract suite for executors.
 */
export { startTestEndpoint, type RequestHook, type StoredPlan, type TestEndpoint } from "./test-endpoint.ts";
export { createTestTask, renderTestPayload, type TestParent, type TestTaskOptions } from "./test-task.ts";
export { describeExecutorContract } from "../executor/testing/executor-contract.ts";
export type { ContractEntity, ContractSubject, KillPoint } from "../executor/testing/contract-subject.ts";
