/**
 * An operation that can fail on demand. `start` is the start of a spawned provider, before its first call. `call` is a request to the
 * cloud's own API; its `type` is the name of the API operation, such as `DescribeCluster`.
 */
export type Operation =
  | "start"
  | "configure"
  | "validate"
  | "plan"
  | "create"
  | "read"
  | "update"
  | "delete"
  | "import"
  | "data"
  | "call";

/** How an operation fails. */
export type SimulatedFaultKind =
  /**
   * The provider returns an error. With `afterEffect`, the change still happens and Terraform learns the new state. The cloud's own API
   * splits a message such as `ThrottlingException: Rate exceeded` into a code and a text.
   */
  | { readonly kind: "error"; readonly message: string; readonly afterEffect?: boolean; readonly httpStatus?: number }
  /** The provider process dies. A resident provider only drops the connection. */
  | { readonly kind: "crash" }
  /** The provider does not respond until Terraform stops it. With `deaf`, it also ignores the stop request. */
  | { readonly kind: "hang"; readonly deaf?: boolean }
  /** The provider sends random bytes, as its reply or on standard output. */
  | { readonly kind: "rubbish"; readonly where?: "reply" | "stdout" }
  /** The change happens, but the reply is lost. */
  | { readonly kind: "lost_reply" }
  /** The change happens, but the connection breaks in the middle of the reply. */
  | { readonly kind: "truncated" }
  /** The provider repeats sensitive configuration values in a diagnostic or on standard error. */
  | { readonly kind: "echo_secrets"; readonly where?: "error" | "warning" | "stderr" }
  /** The provider responds after a delay. */
  | { readonly kind: "slow"; readonly delayMs: number };

/** A planned fault. It affects `times` matching calls (default 1), starting with the `nth` one (default 1) after it was planned. */
export type SimulatedFault = SimulatedFaultKind & {
  readonly operation: Operation;
  readonly type?: string;
  readonly tenant?: string;
  readonly nth?: number;
  readonly times?: number;
};

/** The properties of a call that decide whether a simulated fault applies to it. */
export interface ProviderCall {
  readonly tenant: string;
  readonly operation: Operation;
  readonly type?: string;
}

/** Decides before each operation whether a fault affects it. */
export interface SimulatedFaults {
  take(call: ProviderCall): Promise<SimulatedFault | undefined>;
}

/** Simulated faults that can be planned and removed while providers run. */
export interface SimulatedFaultControl extends SimulatedFaults {
  add(...faults: readonly SimulatedFault[]): Promise<void>;
  clear(): Promise<void>;
  /** Returns the planned faults and how many calls each of them has matched. */
  list(): Promise<readonly CountedFault[]>;
}

/** A planned fault and the number of calls that it has matched. */
export interface CountedFault {
  readonly fault: SimulatedFault;
  readonly seen: number;
}

/** Returns whether a fault applies to a call, regardless of its call count. */
export function matchesCall(fault: SimulatedFault, call: ProviderCall): boolean {
  return (
    fault.operation === call.operation &&
    (fault.type === undefined || fault.type === call.type) &&
    (fault.tenant === undefined || fault.tenant === call.tenant)
  );
}

/** Counts a call and returns the first fault that affects it. */
export function countCall(
  planned: readonly CountedFault[],
  call: ProviderCall,
): { planned: CountedFault[]; due: SimulatedFault | undefined } {
  const counted = planned.map((entry) => (matchesCall(entry.fault, call) ? { ...entry, seen: entry.seen + 1 } : entry));
  const due = counted.find(({ fault, seen }) => {
    const first = fault.nth ?? 1;
    return matchesCall(fault, call) && seen >= first && seen < first + (fault.times ?? 1);
  });
  return { planned: counted, due: due?.fault };
}
