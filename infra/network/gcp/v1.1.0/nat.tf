locals {
  # Cloud NAT is regional and survives the loss of a zone, so one gateway serves every zone.
  translated = toset(var.nat == "none" ? [] : local.made)
  nat_ips    = toset(var.nat == "none" ? [] : [for index in range(var.nat_ips) : tostring(index)])
}

resource "google_compute_router" "this" {
  for_each    = local.translated
  name        = local.base
  description = "${local.owned}this/${each.key})"
  network     = google_compute_network.this[each.key].id
  region      = var.region
}

resource "google_compute_address" "nat" {
  for_each = local.nat_ips
  name     = "${local.base}-nat-${each.key}"
  region   = var.region
  labels   = merge(local.labels, { cloudwright_part = "nat__2f${each.key}" })
  lifecycle {
    # An address cannot be deleted while Cloud NAT uses it, so Terraform must update Cloud NAT first.
    create_before_destroy = true
  }
}

# Gateways have neither labels nor a description. They are found through their router.
resource "google_compute_router_nat" "this" {
  for_each                           = local.translated
  name                               = local.base
  router                             = google_compute_router.this[each.key].name
  region                             = var.region
  nat_ip_allocate_option             = length(local.nat_ips) == 0 ? "AUTO_ONLY" : "MANUAL_ONLY"
  nat_ips                            = [for address in google_compute_address.nat : address.self_link]
  source_subnetwork_ip_ranges_to_nat = "LIST_OF_SUBNETWORKS"
  # Gives machines more NAT ports on demand, so that busy machines do not run out. Turning this on interrupts existing connections.
  enable_dynamic_port_allocation      = var.nat_dynamic_ports
  enable_endpoint_independent_mapping = false
  min_ports_per_vm                    = var.nat_ports_per_machine
  max_ports_per_vm                    = var.nat_dynamic_ports ? 65536 : null
  subnetwork {
    name                    = google_compute_subnetwork.this[each.key].id
    source_ip_ranges_to_nat = ["ALL_IP_RANGES"]
  }
  dynamic "log_config" {
    for_each = var.nat_logs == "none" ? [] : [var.nat_logs]
    content {
      enable = true
      filter = log_config.value == "errors" ? "ERRORS_ONLY" : "ALL"
    }
  }
}

resource "google_compute_address" "load_balancer" {
  for_each = toset([for index in range(var.load_balancer_ips) : tostring(index)])
  name     = "${local.base}-lb-${each.key}"
  region   = var.region
  labels   = merge(local.labels, { cloudwright_part = "load_balancer__2f${each.key}" })
}
