# A GKE cluster and an AKS cluster with the resources they need.
terraform {
  required_providers {
    google  = { source = "hashicorp/google" }
    azurerm = { source = "hashicorp/azurerm" }
  }
}

provider "google" {
  project = "acme"
  region  = "europe-west4"
}

provider "azurerm" {
  features {}
}

variable "nodes" {
  type    = number
  default = 1
}

data "google_compute_zones" "this" {}
data "google_container_engine_versions" "this" { version_prefix = "1.34." }
data "azurerm_client_config" "this" {}
data "azurerm_kubernetes_service_versions" "this" { location = "westeurope" }

resource "google_compute_network" "a" {
  name                    = "a"
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "a" {
  name          = "a"
  network       = google_compute_network.a.id
  ip_cidr_range = "10.0.0.0/20"
  secondary_ip_range {
    range_name    = "pods"
    ip_cidr_range = "10.1.0.0/16"
  }
}

resource "google_compute_router" "a" {
  name    = "a"
  network = google_compute_network.a.id
}

resource "google_compute_router_nat" "a" {
  name                               = "a"
  router                             = google_compute_router.a.name
  nat_ip_allocate_option             = "AUTO_ONLY"
  source_subnetwork_ip_ranges_to_nat = "ALL_SUBNETWORKS_ALL_IP_RANGES"
}

resource "google_service_account" "a" { account_id = "nodes-of-a" }

resource "google_project_iam_member" "a" {
  project = "acme"
  role    = "roles/container.defaultNodeServiceAccount"
  member  = google_service_account.a.member
}

resource "google_container_cluster" "a" {
  name                     = "a"
  location                 = "europe-west4"
  network                  = google_compute_network.a.id
  subnetwork               = google_compute_subnetwork.a.id
  min_master_version       = data.google_container_engine_versions.this.latest_master_version
  remove_default_node_pool = true
  initial_node_count       = 1
  deletion_protection      = false
  release_channel { channel = "REGULAR" }
  ip_allocation_policy { cluster_secondary_range_name = "pods" }
}

resource "google_container_node_pool" "a" {
  name           = "a"
  cluster        = google_container_cluster.a.name
  location       = google_container_cluster.a.location
  node_count     = var.nodes
  node_locations = slice(data.google_compute_zones.this.names, 0, 2)
  node_config {
    machine_type    = "e2-standard-2"
    service_account = google_service_account.a.email
  }
}

resource "google_storage_bucket" "a" {
  name                        = "acme-a"
  location                    = "EU"
  uniform_bucket_level_access = true
  versioning { enabled = true }
}

resource "azurerm_resource_group" "a" {
  name     = "a"
  location = "westeurope"
}

resource "azurerm_virtual_network" "a" {
  name                = "a"
  resource_group_name = azurerm_resource_group.a.name
  location            = azurerm_resource_group.a.location
  address_space       = ["10.0.0.0/16"]
}

resource "azurerm_subnet" "a" {
  name                 = "a"
  resource_group_name  = azurerm_resource_group.a.name
  virtual_network_name = azurerm_virtual_network.a.name
  address_prefixes     = ["10.0.0.0/20"]
}

resource "azurerm_nat_gateway" "a" {
  name                = "a"
  resource_group_name = azurerm_resource_group.a.name
  location            = azurerm_resource_group.a.location
}

resource "azurerm_subnet_nat_gateway_association" "a" {
  subnet_id      = azurerm_subnet.a.id
  nat_gateway_id = azurerm_nat_gateway.a.id
}

resource "azurerm_user_assigned_identity" "a" {
  name                = "cluster"
  resource_group_name = azurerm_resource_group.a.name
  location            = azurerm_resource_group.a.location
}

resource "azurerm_role_assignment" "a" {
  scope                = azurerm_virtual_network.a.id
  role_definition_name = "Network Contributor"
  principal_id         = azurerm_user_assigned_identity.a.principal_id
}

resource "azurerm_kubernetes_cluster" "a" {
  name                = "a"
  resource_group_name = azurerm_resource_group.a.name
  location            = azurerm_resource_group.a.location
  dns_prefix          = "a"
  kubernetes_version  = data.azurerm_kubernetes_service_versions.this.default_version
  default_node_pool {
    name           = "system"
    vm_size        = "Standard_D2s_v5"
    node_count     = 1
    vnet_subnet_id = azurerm_subnet.a.id
  }
  node_provisioning_profile {}
  identity {
    type         = "UserAssigned"
    identity_ids = [azurerm_user_assigned_identity.a.id]
  }
  depends_on = [azurerm_role_assignment.a]
}

resource "azurerm_kubernetes_cluster_node_pool" "a" {
  name                  = "a"
  kubernetes_cluster_id = azurerm_kubernetes_cluster.a.id
  vm_size               = "Standard_D2s_v5"
  node_count            = var.nodes
  vnet_subnet_id        = azurerm_subnet.a.id
}

resource "azurerm_storage_account" "a" {
  name                     = "acmea"
  resource_group_name      = azurerm_resource_group.a.name
  location                 = azurerm_resource_group.a.location
  account_tier             = "Standard"
  account_replication_type = "LRS"
}

resource "azurerm_storage_container" "a" {
  name               = "data"
  storage_account_id = azurerm_storage_account.a.id
}

resource "azurerm_managed_disk" "a" {
  name                 = "a"
  resource_group_name  = azurerm_resource_group.a.name
  location             = azurerm_resource_group.a.location
  storage_account_type = "Premium_LRS"
  create_option        = "Empty"
  disk_size_gb         = 10
}
