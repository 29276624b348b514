/** What test suites and benchmarks of hosts need. */
export { buildTestImage } from "../images/testing/test-image.ts";
export { renderSeed } from "../instances/seed.ts";
export { createKeyPair, runOverSsh, type KeyPair } from "../instances/testing/ssh-client.ts";
export { ip, ping, scan, startEcho, type Echo } from "../networks/testing/probes.ts";
export { createOutside, deleteOutside, outside } from "../networks/testing/world.ts";
export { findHostObstacle, isolateCommand } from "./isolate-command.ts";
