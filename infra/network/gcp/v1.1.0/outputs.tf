output "network_id" {
  description = "Id of the VPC network."
  value       = one(concat([for network in google_compute_network.this : network.id], [for network in data.google_compute_network.given : network.id]))
}

output "cidr" {
  description = "Address range of the network; for an existing network, the range of its subnet."
  value       = var.network == null ? var.cidr_range : one([for subnet in data.google_compute_subnetwork.given : subnet.ip_cidr_range])
}

output "zones" {
  description = "Zones for machines. The subnet spans all zones of the region."
  value       = sort(var.zones)
}

output "public_subnet_ids" {
  description = "Always empty: load balancers need no subnet of their own."
  value       = []
}

output "private_subnet_ids" {
  description = "Id of the subnet for machines."
  value       = concat([for subnet in google_compute_subnetwork.this : subnet.id], [for subnet in data.google_compute_subnetwork.given : subnet.id])
}

output "intra_subnet_ids" {
  description = "Always empty: control planes need no subnet of their own."
  value       = []
}

output "pod_range_name" {
  description = "Name of the subnet's secondary range for pods."
  value       = var.pod_range_name
}

output "service_range_name" {
  description = "Name of the subnet's secondary range for Services."
  value       = var.service_range_name
}

output "nat_public_ips" {
  description = "Reserved public addresses of outgoing traffic. Empty if Google Cloud assigns the addresses."
  value       = [for index in range(var.nat_ips) : google_compute_address.nat[tostring(index)].address if contains(keys(google_compute_address.nat), tostring(index))]
}

output "load_balancer_public_ips" {
  description = "Static addresses reserved for load balancers."
  value       = [for index in range(var.load_balancer_ips) : google_compute_address.load_balancer[tostring(index)].address if contains(keys(google_compute_address.load_balancer), tostring(index))]
}

output "load_balancer_ip_ids" {
  description = "Ids of the static addresses reserved for load balancers."
  value       = [for index in range(var.load_balancer_ips) : google_compute_address.load_balancer[tostring(index)].id if contains(keys(google_compute_address.load_balancer), tostring(index))]
}
