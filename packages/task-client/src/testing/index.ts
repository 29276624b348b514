export * from "./demo-journal.ts";
export * from "./fake-server.ts";
export { createCleanup, createTestDirectory, type Cleanup } from "./test-agent.ts";
