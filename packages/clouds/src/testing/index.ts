/**
 * Test support for other packages: the contract suites for `CloudProvider` and `CloudLibrary`, and servers on the loopback address that
 * stand in for clouds.
 */
export { describeCloudProvider, type ContractFixture } from "./cloud-provider-contract.ts";
export { describeCloudLibrary, shortWaits, type LibraryFeature, type LibraryFixture } from "./library-contract.ts";
export { describeCloudPart, type PartFixture } from "./part-contract.ts";
export { startMotoServer, type MotoServer } from "./moto-server.ts";
export { openGoogle, privateKeyLine, project as googleProject, serviceAccountKey } from "../gcp/testing/open-google.ts";
