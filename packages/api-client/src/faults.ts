import { defineFaults } from "@cloudwright/platform/fault";

/** Faults that occur before a response from the server is available. Errors returned by the server keep their own codes. */
export const clientFaults = defineFaults("client", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "the server could not be reached, or the connection was lost",
    help: "Check that the server is running and that the address is correct. `npm start` starts one on this machine.",
  },
  timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "the server did not respond in time",
    help: "Try again. If the problem persists, check the server's /readyz and its log.",
  },
  bad_answer: {
    kind: "internal",
    when: "the response is not from this API; another program may be listening at that address",
    help: "Check the server's address, and any proxy between this machine and the server.",
  },
  bad_server: {
    kind: "invalid",
    when: "the server's address is not an http or https URL",
    help: "Use an address such as http://127.0.0.1:8480.",
  },
  bad_key: {
    kind: "invalid",
    when: "the API key contains invalid characters, such as a space or a line break",
    help: "Copy the complete key again, without any other characters.",
  },
  bad_name: {
    kind: "invalid",
    when: "a name cannot be part of a path, because it is empty, `.` or `..`",
    help: "Use the entity's name or uid.",
  },
});
