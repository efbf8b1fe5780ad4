//! Renumbered meshes.

/// A renumbered mesh in MSH 2.2. Nodes and elements have new tags and are listed in another order. Each element starts
/// at another of its nodes.
pub fn renumbered(mesh: &str) -> String {
    let lines: Vec<&str> = mesh.lines().collect();
    let [nodes, elements] = ["$Nodes", "$Elements"].map(|head| section(&lines, head));
    let tags: Vec<&str> = nodes.iter().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    let order = shuffled(nodes.len());
    let new_tag = |tag: &str| {
        let place = tags.iter().position(|other| *other == tag).unwrap();
        (order[place] + 1).to_string()
    };
    let mut new_nodes: Vec<(usize, String)> = nodes
        .iter()
        .map(|line| {
            let (tag, place) = line.split_once(' ').unwrap();
            let tag = new_tag(tag);
            (shuffled_place(tag.parse().unwrap(), nodes.len()), format!("{tag} {place}"))
        })
        .collect();
    new_nodes.sort();
    let order = shuffled(elements.len());
    let mut new_elements: Vec<(usize, String)> = elements
        .iter()
        .enumerate()
        .map(|(k, line)| {
            let fields: Vec<&str> = line.split(' ').collect();
            let nodes: Vec<String> = fields[5..].iter().map(|tag| new_tag(tag)).collect();
            let nodes = begun_elsewhere(fields[1], &nodes).join(" ");
            (order[k], format!("{} {} {nodes}", order[k] + 1, fields[1..5].join(" ")))
        })
        .collect();
    new_elements.sort();
    let text =
        |lines: Vec<(usize, String)>| lines.into_iter().map(|(_, line)| line + "\n").collect::<String>();
    let (head, _) = mesh.split_once("$Nodes").unwrap();
    format!(
        "{head}$Nodes\n{}\n{}$EndNodes\n$Elements\n{}\n{}$EndElements\n",
        nodes.len(),
        text(new_nodes),
        elements.len(),
        text(new_elements)
    )
}

/// The lines of a section after its count.
fn section<'a>(lines: &[&'a str], head: &str) -> Vec<&'a str> {
    let start = lines.iter().position(|line| *line == head).unwrap() + 1;
    let count: usize = lines[start].parse().unwrap();
    lines[start + 1..=start + count].to_vec()
}

/// A permutation of the numbers below `count`.
fn shuffled(count: usize) -> Vec<usize> {
    (0..count).map(|k| shuffled_place(k, count)).collect()
}

/// Image of k in the permutation: k times a stride that is coprime to `count`, plus an offset, modulo `count`.
fn shuffled_place(k: usize, count: usize) -> usize {
    let divides = |step: usize| (2..=step).any(|d| step.is_multiple_of(d) && count.is_multiple_of(d));
    let step = (count * 5 / 8..).find(|&step| step > 0 && !divides(step)).unwrap_or(1);
    (k * step + count / 3) % count
}

/// The nodes of an element of this Gmsh type, cyclically reordered so that another node is first.
fn begun_elsewhere(kind: &str, nodes: &[String]) -> Vec<String> {
    let order: &[usize] = match kind {
        "2" => &[1, 2, 0],
        "3" => &[1, 2, 3, 0],
        "4" => &[1, 2, 0, 3],
        "5" => &[1, 2, 3, 0, 5, 6, 7, 4],
        "6" => &[1, 2, 0, 4, 5, 3],
        _ => return nodes.to_vec(),
    };
    order.iter().map(|&k| nodes[k].clone()).collect()
}
