import { Code, ConnectError } from "@connectrpc/connect";
import { Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";

/**
 * Converts a failed call to a fault: `unreachable` can be retried, `refused` concerns the agent's identity, and `rejected` concerns the
 * request itself.
 */
export function toWireFault(error: unknown, server: string): Fault {
  if (error instanceof Fault) return error;
  const { code, rawMessage } = ConnectError.from(error);
  switch (code) {
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return new Fault(taskClientFaults.refused, `${server} rejected this agent: ${rawMessage}`, { cause: error });
    case Code.InvalidArgument:
    case Code.NotFound:
    case Code.AlreadyExists:
    case Code.FailedPrecondition:
    case Code.OutOfRange:
    case Code.Unimplemented:
      return new Fault(taskClientFaults.rejected, `${server} rejected the request: ${rawMessage}`, { cause: error });
    default:
      return new Fault(taskClientFaults.unreachable, `${server} did not respond: ${rawMessage}`, { cause: error });
  }
}
