import { Fault } from "@cloudwright/platform";
import { sshFaults } from "./faults.ts";

/** The property `level` of the library's errors says which layer failed. */
type ClientError = Error & { level?: string; code?: string | number };

export interface ErrorContext {
  /** Fingerprint of a host key that was not accepted. */
  readonly presented?: string | undefined;
  readonly isLoggedIn: boolean;
}

/** Converts an error of a connection into a fault. */
export function explainError(error: ClientError, where: string, context: ErrorContext): Fault {
  const { presented, isLoggedIn } = context;
  const cause = { cause: error };
  const lost = isLoggedIn ? sshFaults.connection_lost : sshFaults.unreachable;
  if (presented !== undefined) {
    return new Fault(
      sshFaults.host_key_changed,
      `${where} presented the host key ${presented}, which is not one of the recorded keys`,
      cause,
    );
  }
  if (isMissingHostKey(error)) {
    return new Fault(sshFaults.host_key_changed, `${where} has no host key of the types that are recorded for it`, cause);
  }
  switch (error.level) {
    case "client-socket":
    case "client-dns":
      return new Fault(lost, `cannot talk to ${where}: ${error.message}`, cause);
    case "client-timeout":
      return new Fault(sshFaults.timeout, `${where} stopped responding`, cause);
    case "client-authentication":
      return new Fault(sshFaults.key_refused, `${where} accepted none of the private keys`, cause);
    default:
      // A number is the reason that the server gave for ending the connection.
      if (typeof error.code === "number" || error.message.includes("Connection lost")) {
        return new Fault(lost, `${where} ended the connection: ${error.message}`, cause);
      }
      return new Fault(sshFaults.bad_answer, `the SSH protocol with ${where} failed: ${error.message}`, cause);
  }
}

/** Whether client and server have no type of host key in common. The library has no code for it. */
export function isMissingHostKey(error: ClientError): boolean {
  return error.message.includes("no matching host key format");
}
