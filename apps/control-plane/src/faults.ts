import { defineFaults } from "@cloudwright/platform";

export const controlPlaneFaults = defineFaults("control_plane", {
  home_in_use: {
    kind: "conflict",
    when: "a second server is started on the home of a running one",
    help: "Use the running server, stop it first, or set CLOUDWRIGHT_HOME to another directory. For several replicas set DATABASE_URL.",
  },
});
