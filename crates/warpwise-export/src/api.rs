//! The versions of Futhark's C interface, as far as they are incompatible.

use std::str::FromStr;

use warpwise_standalone::interface::{EntryInterface, Interface, Kind, NamedType, Naming, Output, TypeRef};

/// Version of a library's interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Api {
    /// Futhark 0.25: an entry point that returns a tuple has one result per part, unless the tuple's type has a name.
    V0_25,
    /// Futhark 0.26: an entry point has one result, which may be a tuple.
    #[default]
    V0_26,
}

impl Api {
    /// Returns the version that names in C follow.
    pub fn naming(self) -> Naming {
        match self {
            Api::V0_25 => Naming::V0_25,
            Api::V0_26 => Naming::V0_26,
        }
    }

    /// Returns the results of an entry point.
    pub fn results(self, entry: &EntryInterface) -> &[Output] {
        match self {
            Api::V0_25 => &entry.outputs,
            Api::V0_26 => std::slice::from_ref(&entry.output),
        }
    }

    /// Returns the types of parameters and results, including parts, with their numbers. A tuple that is returned in parts is not
    /// included.
    pub fn types(self, interface: &Interface) -> impl Iterator<Item = (usize, &NamedType)> {
        let mut found = vec![false; interface.types.len()];
        for entry in &interface.entries {
            let inputs = entry.inputs.iter().map(|input| input.ty);
            inputs
                .chain(self.results(entry).iter().map(|output| output.ty))
                .for_each(|ty| mention(interface, ty, &mut found));
        }
        interface.types.iter().enumerate().filter(move |(number, _)| found[*number])
    }
}

/// Marks a type and its parts.
fn mention(interface: &Interface, ty: TypeRef, found: &mut [bool]) {
    let TypeRef::Named(number) = ty else { return };
    if std::mem::replace(&mut found[number], true) {
        return;
    }
    let mut part = |ty| mention(interface, ty, found);
    match &interface.types[number].kind {
        Kind::Array { .. } => {}
        Kind::Record(fields) => fields.iter().for_each(|field| part(field.ty)),
        Kind::Sum(variants) => {
            variants.iter().flat_map(|variant| &variant.payload).for_each(|(ty, _)| part(*ty));
        }
        Kind::OpaqueArray { element, fields, .. } => {
            part(*element);
            fields.iter().flatten().for_each(|field| part(field.ty));
        }
    }
}

impl FromStr for Api {
    type Err = String;

    fn from_str(text: &str) -> Result<Api, String> {
        match text {
            "0.25" => Ok(Api::V0_25),
            "0.26" => Ok(Api::V0_26),
            _ => Err("the interfaces known are 0.25 and 0.26".to_string()),
        }
    }
}
