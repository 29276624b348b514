output "network_id" {
  description = "Id of the virtual network."
  value       = var.vnet_id == null ? one([for vnet in azurerm_virtual_network.this : vnet.id]) : one([for vnet in data.azurerm_virtual_network.given : vnet.id])
}

output "cidr" {
  description = "Address range of the virtual network."
  value       = var.vnet_id == null ? var.cidr_range : try(one([for vnet in data.azurerm_virtual_network.given : vnet.address_space])[0], "")
}

output "zones" {
  description = "Zones that the network's addresses span; empty for an existing network or a region without zones."
  value       = var.vnet_id == null ? sort([for zone in coalesce(var.zones, []) : "${var.region}-${zone}"]) : []
}

output "resource_group_name" {
  description = "Resource group of the network."
  value       = coalesce(local.group, local.base)
}

output "public_subnet_ids" {
  description = "Always empty, because load balancers in Azure need no subnet of their own."
  value       = []
}

output "private_subnet_ids" {
  description = "Id of the node subnet."
  value       = concat([for role, subnet in azurerm_subnet.this : subnet.id if role == "nodes"], [for role, subnet in data.azurerm_subnet.given : subnet.id if role == "nodes"])
}

output "intra_subnet_ids" {
  description = "Id of the subnet of API servers, if there is one."
  value       = concat([for role, subnet in azurerm_subnet.this : subnet.id if role == "api-server"], [for role, subnet in data.azurerm_subnet.given : subnet.id if role == "api-server"])
}

output "pod_subnet_id" {
  description = "Id of the pod subnet; empty if pods use an overlay network."
  value       = join("", concat([for role, subnet in azurerm_subnet.this : subnet.id if role == "pods"], [for role, subnet in data.azurerm_subnet.given : subnet.id if role == "pods"]))
}

output "nat_public_ips" {
  description = "Public addresses of outgoing traffic from workers."
  value       = [for index in range(var.nat_ips) : azurerm_public_ip.nat[tostring(index)].ip_address if contains(keys(azurerm_public_ip.nat), tostring(index))]
}

output "load_balancer_ip_ids" {
  description = "Ids of the public addresses reserved for load balancers."
  value       = [for index in range(var.load_balancer_ips) : azurerm_public_ip.load_balancer[tostring(index)].id if contains(keys(azurerm_public_ip.load_balancer), tostring(index))]
}

output "load_balancer_public_ips" {
  description = "Public addresses reserved for load balancers."
  value       = [for index in range(var.load_balancer_ips) : azurerm_public_ip.load_balancer[tostring(index)].ip_address if contains(keys(azurerm_public_ip.load_balancer), tostring(index))]
}

output "private_dns_zone_id" {
  description = "Id of the private DNS zone of API servers; empty if there is none."
  value       = join("", [for zone in azurerm_private_dns_zone.api_server : zone.id])
}

output "outbound_type" {
  description = "How clusters in the network send outgoing traffic, in the words of AKS. An existing network keeps the default of AKS."
  value       = length([for route in var.routes : route if route.cidr == "0.0.0.0/0"]) > 0 ? "userDefinedRouting" : (var.nat == "none" ? "loadBalancer" : "userAssignedNATGateway")
}
