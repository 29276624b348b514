/** Faults for requests that exceed a limit on work or memory. They are part of `apiFaults`. */
export const loadFaults = {
  rate_limited: {
    kind: "exhausted",
    retry: "after",
    when: "the caller sends more requests than are allowed",
    help: "Wait for the number of seconds in the Retry-After header.",
  },
  bodies_busy: {
    kind: "exhausted",
    retry: "after",
    when: "the bodies of the caller's requests in progress take more memory than is allowed",
    help: "Wait for the number of seconds in the Retry-After header, and send fewer large requests at a time.",
  },
  bodies_full: {
    kind: "unavailable",
    retry: "after",
    when: "the bodies of all requests in progress take more memory than the server has for them",
    help: "Wait for the number of seconds in the Retry-After header. A caller without other requests in progress can still send one.",
  },
  uploads_busy: {
    kind: "exhausted",
    retry: "after",
    when: "an agent or a project uploads more large states and plans at a time than are allowed",
    help: "Nothing needs to be done: Terraform and agents retry. If the error persists, run fewer of the project's tasks at a time, or reduce the size of its states.",
  },
  documents_busy: {
    kind: "exhausted",
    retry: "after",
    when: "too many of a project's large states and plans are waiting to be read or compared",
    help: "Wait for the number of seconds in the Retry-After header. Read fewer of the project's states and plans at a time.",
  },
  watch_too_slow: {
    kind: "exhausted",
    retry: "backoff",
    when: "a client reads a watch more slowly than changes arrive",
    help: "List again and watch from the resourceVersion of that list.",
  },
} as const;
