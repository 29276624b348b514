import { defineFaults } from "@cloudwright/platform/fault";

/** What can go wrong on the way to the server; what the server itself answers keeps the server's own code. */
export const clientFaults = defineFaults("client", {
  unreachable: {
    kind: "unavailable",
    retry: "backoff",
    when: "no connection to the server could be made, or it broke off",
    help: "Check that the server runs and that the address is right; `npm start` starts one on this machine.",
  },
  timeout: {
    kind: "unavailable",
    retry: "backoff",
    when: "the server did not answer in time",
    help: "Try again; if it lasts, look at the server's /readyz and its log.",
  },
  bad_answer: {
    kind: "internal",
    when: "the answer is not one of this API: another program may be listening at that address",
    help: "Check the server's address, and any proxy in between.",
  },
  bad_server: {
    kind: "invalid",
    when: "the server's address is not an http or https URL",
    help: "Give an address such as http://127.0.0.1:8480.",
  },
  bad_key: {
    kind: "invalid",
    when: "the API key holds characters that no key has, such as a space or a line break inside it",
    help: "Copy the key again, all of it and nothing else.",
  },
  bad_name: {
    kind: "invalid",
    when: "a name cannot be part of a path: it is empty, `.` or `..`",
    help: "Give the entity's name or uid.",
  },
});
