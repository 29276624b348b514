/** For tests: clusters to talk to, simulated ones everywhere and real API servers where they are. */
export { openSimulatedCluster, readKubeconfig, type TestCluster } from "./test-cluster.ts";
