resource "google_compute_firewall" "internal" {
  for_each      = local.made
  name          = "${local.base}-internal"
  description   = "${local.owned}internal/${each.key})"
  network       = google_compute_network.this[each.key].name
  direction     = "INGRESS"
  source_ranges = [local.subnet_cidr, local.pod_cidr]
  allow {
    protocol = "all"
  }
}

resource "google_compute_firewall" "health_checks" {
  for_each    = local.made
  name        = "${local.base}-health-checks"
  description = "${local.owned}health_checks/${each.key})"
  network     = google_compute_network.this[each.key].name
  direction   = "INGRESS"
  # Ranges from which Google Cloud's load balancers send health checks.
  source_ranges = ["35.191.0.0/16", "130.211.0.0/22"]
  allow {
    protocol = "tcp"
  }
}

# Google Cloud implicitly denies incoming traffic that no rule allows. This rule does the same with the lowest priority, so that the denial
# is visible in the list of rules and can be logged.
resource "google_compute_firewall" "deny" {
  for_each      = local.made
  name          = "${local.base}-deny"
  description   = "${local.owned}deny/${each.key})"
  network       = google_compute_network.this[each.key].name
  direction     = "INGRESS"
  priority      = 65535
  source_ranges = ["0.0.0.0/0"]
  deny {
    protocol = "all"
  }
  dynamic "log_config" {
    for_each = var.firewall_logs ? ["EXCLUDE_ALL_METADATA"] : []
    content {
      metadata = log_config.value
    }
  }
}
