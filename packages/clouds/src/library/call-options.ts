/** Options for every call. */
export interface CallOptions {
  /** Cancels the call, including all retries and waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options for calls that create or change something. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes a repeated call return the resource that the first call created. Default: a random token per call, which covers the retries
   * within the call. Pass your own token to make retries safe across processes. A token consists of 1 to 64 letters, digits, `-` and `_`.
   */
  readonly token?: string;
  /** `accepted` (default): resolves when the cloud has accepted every request. `ready`: resolves when everything is usable. */
  readonly wait?: "accepted" | "ready";
  /** Time limit for all waiting inside the call. Default: 60 minutes for clusters and node pools, 10 minutes for instances. */
  readonly timeoutMs?: number;
}

/** Options for calls that wait. */
export interface WaitOptions extends CallOptions {
  /**
   * Rejects with `clouds.timeout` after this time. The cloud continues its work. Default: 30 minutes for clusters and node pools, 10 minutes
   * for instances.
   */
  readonly timeoutMs?: number;
  /** Called with each observed status: the library's name for the status and the cloud's own name. */
  readonly onStatus?: (status: string, native: string) => void;
}

/** Options for calls that delete something. */
export interface DeleteOptions extends WaitOptions {
  /** `gone` (default): resolves when the resource no longer exists. `accepted`: resolves when the cloud has accepted the last request. */
  readonly wait?: "accepted" | "gone";
}

/** A limit on API calls that several clients can share. */
export interface CallBudget {
  /**
   * Resolves when the request may be sent. Rejects with the signal's reason. The caller must run the returned function once the response
   * has arrived.
   */
  take(call: CallFacts, signal: AbortSignal | undefined): Promise<() => void>;
}

/** Describes one request to a cloud. Each retry is a separate request. */
export interface CallFacts {
  /** The cloud's name for the service, such as `eks`, `compute` or `Microsoft.Compute`. */
  readonly service: string;
  /** The cloud's name for the action, such as `CreateCluster`, `instances.insert` or `virtualMachines.createOrUpdate`. */
  readonly action: string;
  readonly isMutating: boolean;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** Options that the factories of all clouds share. */
export interface CommonOptions {
  /** Limits the requests of this client. Retries count too. */
  readonly budget?: CallBudget;
  /** Attempts per call, including the first. Default: 4. */
  readonly maxAttempts?: number;
  /** Tags or labels on everything that the library creates. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Additional certificate authorities for overridden endpoints, in PEM. */
  readonly caPem?: string;
  /** Replaces the system clock, for tests. */
  readonly clock?: LibraryClock;
}

/** The time source for waits and renewals. */
export interface LibraryClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
