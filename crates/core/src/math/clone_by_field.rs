//! Copies of structs into existing memory.

/// Implements `Clone` of a struct field by field. The method `clone_from` reuses the memory of the fields; a derived
/// `Clone` would not.
#[macro_export]
macro_rules! clone_by_field {
    ($name:ident $(<$parameter:ident>)? { $($field:ident),+ $(,)? }) => {
        impl $(<$parameter: Clone>)? Clone for $name $(<$parameter>)? {
            fn clone(&self) -> Self {
                Self { $($field: Clone::clone(&self.$field)),+ }
            }

            fn clone_from(&mut self, source: &Self) {
                $(Clone::clone_from(&mut self.$field, &source.$field);)+
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #[derive(Debug, PartialEq)]
    struct Numbers<T> {
        numbers: Vec<T>,
        count: usize,
    }
    clone_by_field!(Numbers<T> { numbers, count });

    #[test]
    fn a_copy_keeps_its_memory() {
        let source = Numbers { numbers: vec![1.0, 2.0], count: 2 };
        let mut copy = Numbers { numbers: vec![0.0; 3], count: 3 };
        let memory = copy.numbers.as_ptr();
        copy.clone_from(&source);
        assert_eq!((&copy, copy.numbers.as_ptr()), (&source, memory));
        assert_eq!(copy.clone(), source);
    }
}
