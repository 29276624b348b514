/** For tests of other rooms: a stand-in for AWS on the loopback address. */
export { startMotoServer, type MotoServer } from "./moto-server.ts";
