/** Test support for other packages: the contract suite of `CloudProvider`, and a fake AWS API on the loopback address. */
export { describeCloudProvider, type ContractFixture } from "./cloud-provider-contract.ts";
export { startMotoServer, type MotoServer } from "./moto-server.ts";
