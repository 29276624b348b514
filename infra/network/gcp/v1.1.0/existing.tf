# An existing network is only read, never changed.
locals {
  given = toset(var.network == null ? [] : ["network"])
}

data "google_compute_network" "given" {
  for_each = local.given
  name     = var.network
}

data "google_compute_subnetwork" "given" {
  for_each = local.given
  name     = var.subnet
  region   = var.region
  lifecycle {
    postcondition {
      condition     = endswith(coalesce(self.network, "none"), "/networks/${coalesce(var.network, "none")}")
      error_message = "The subnet ${coalesce(var.subnet, "-")} is not in the network ${coalesce(var.network, "-")}."
    }
    postcondition {
      condition     = length(setsubtract([var.pod_range_name, var.service_range_name], [for range in self.secondary_ip_range : range.range_name])) == 0
      error_message = "The subnet ${coalesce(var.subnet, "-")} lacks a secondary range named ${join(" or ", setsubtract([var.pod_range_name, var.service_range_name], [for range in self.secondary_ip_range : range.range_name]))}."
    }
  }
}
