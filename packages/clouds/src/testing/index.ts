/** For the tests of other packages: the contract suite of `CloudProvider`, and a stand-in for the AWS API on the loopback address. */
export { describeCloudProvider, type ContractFixture } from "./cloud-provider-contract.ts";
export { startMotoServer, type MotoServer } from "./moto-server.ts";
