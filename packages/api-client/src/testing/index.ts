export { createFakeServer, type FakeServer } from "./fake-server.ts";
export { connectionRefused, problem } from "./wire.ts";
