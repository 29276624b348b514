/** Test clusters: simulated ones everywhere, and real API servers where their binaries are installed. */
export { openSimulatedCluster, readKubeconfig, type TestCluster } from "./test-cluster.ts";
